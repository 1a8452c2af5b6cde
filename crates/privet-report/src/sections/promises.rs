//! Every promise: its statement, what was required, what the worst class reaches.

use privet_release::Manifest;

use crate::Facts;
use crate::asked::{Asked, Judgement};
use crate::form::FormWords;
use crate::text::{count, counted, escape};

use super::{close_table, header, open_table};

pub(crate) fn write(manifest: &Manifest, _facts: &Facts, out: &mut String) {
    if manifest.promises.is_empty() {
        out.push_str("<p>Nothing was promised.</p>\n");
        return;
    }
    let words = FormWords::of(manifest.kind);
    out.push_str(words.either(
        "<p>Each promise is judged by the class that comes closest to breaking it; every other class does at least as well. What \
         was reached is rounded to the cautious side.</p>\n",
        "<p>Each promise is judged by the bucket that comes closest to breaking it; every other bucket does at least as well. What \
         was reached is rounded to the cautious side.</p>\n",
    ));
    open_table(out, "promises-table", "promises", "Promises");
    // The result stands where a phone shows it without scrolling.
    header(out, &["Promise", "Result", "#Required", "#Reached", words.worst]);
    let smallest = manifest.classes.min;
    for promise in &manifest.promises {
        let asked = Asked::of(promise);
        let (class, result) = match asked.judge(promise.reached, smallest) {
            _ if manifest.data.rows == 0 => ("open", "– no record"),
            Judgement::Holds => ("holds", "✓ holds"),
            Judgement::Fails => ("fails", "✗ does not hold"),
            Judgement::Open => ("open", "? not judged"),
        };
        let unseen = asked
            .unseen
            .map_or(String::new(), |u| format!("<small>{u} <code>privet verify</code> checks it.</small>"));
        let worst = match &promise.worst_class {
            Some(worst) => format!(
                "{}<small>from record {}</small>",
                counted(worst.rows, "record", "records"),
                count(worst.record)
            ),
            None => "–".to_owned(),
        };
        put!(
            out,
            "<tr><th scope=\"row\">{}<small>{}</small>{unseen}</th><td class=\"result {class}\">{result}</td><td class=\"number\">{}</td>\
             <td class=\"number\">{}</td><td class=\"number\">{worst}</td></tr>\n",
            escape(asked.model),
            escape(&promise.statement),
            escape(&asked.required).replace(", ", ",<br>"),
            escape(&asked.reached(promise.reached))
        );
    }
    close_table(out);
}
