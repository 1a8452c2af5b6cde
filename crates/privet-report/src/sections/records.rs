//! How many records came in, how many are published, how many were suppressed.

use privet_release::Manifest;

use crate::text::{count, name, percent};
use crate::{Facts, svg};

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    let data = &manifest.data;
    let (published, suppressed) =
        (percent(data.rows, data.input_rows), percent(data.suppressed, data.input_rows));
    out.push_str("<figure>\n");
    out.push_str(&svg::split(
        "records-bar",
        "Records published and suppressed",
        &format!(
            "Of {} records, {} are published ({published}) and {} are suppressed ({suppressed}).",
            count(data.input_rows),
            count(data.rows),
            count(data.suppressed)
        ),
        data.rows,
        data.suppressed,
    ));
    put!(
        out,
        "\n<figcaption><ul class=\"legend\"><li><span class=\"key solid\" aria-hidden=\"true\"></span>published \
         <b>{}</b> <span class=\"aside\">{published}</span></li><li><span class=\"key hatched\" \
         aria-hidden=\"true\"></span>suppressed <b>{}</b> <span class=\"aside\">{suppressed}</span></li><li>records of \
         the input <b>{}</b></li></ul></figcaption>\n</figure>\n",
        count(data.rows),
        count(data.suppressed),
        count(data.input_rows)
    );
    if let Some(sample) = &data.sample {
        put!(
            out,
            "<p>These are a random sample of a table of {} records. Whoever is looked for may not be in it; but who is, \
             and stands out in the sample, may stand out in the table as well.</p>\n",
            count(sample.from_rows)
        );
    }
    if let Some(distorted) = &data.distorted {
        put!(
            out,
            "<p>In {} records the value of {} is not the true one: it was replaced, so that the way records were put together \
             tells nothing about it. Which records these are is not known to anybody outside.</p>\n",
            count(distorted.records),
            name(&distorted.column)
        );
    }
    if data.input_rows == 0 {
        out.push_str("<p>The input holds no records.</p>\n");
    } else if data.suppressed == 0 {
        out.push_str("<p>No record had to be left out.</p>\n");
    } else if data.rows == 0 {
        out.push_str("<p>Every record was left out: nobody is told of.</p>\n");
    } else {
        out.push_str(
            "<p>A suppressed record is left out whole. Suppressed people are not a random sample: they are those with \
             rare combinations of the identifying columns.</p>\n",
        );
    }
}
