//! Curves in SVG.

use std::fmt::Write;
use std::path::Path;

/// A curve: a name and its points.
pub type Curve<'a> = (&'a str, &'a [(f64, f64)]);

/// Writes curves as SVG.
pub fn plot(
    folder: &Path,
    name: &str,
    title: &str,
    is_log: bool,
    curves: &[Curve<'_>],
) -> Result<(), Box<dyn std::error::Error>> {
    let scale = |x: f64| if is_log { x.log10() } else { x };
    let all = || curves.iter().flat_map(|(_, points)| points.iter());
    let range = |of: &dyn Fn(&(f64, f64)) -> f64| {
        let ends = all().map(of).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        (ends.0, if ends.1 > ends.0 { ends.1 } else { ends.0 + 1.0 })
    };
    let (x0, x1) = range(&|point| scale(point.0));
    let (y0, y1) = range(&|point| point.1);
    let place = |&(x, y): &(f64, f64)| {
        (60.0 + 520.0 * (scale(x) - x0) / (x1 - x0), 330.0 - 280.0 * (y - y0) / (y1 - y0))
    };
    let mut out = String::from(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 380" font-family="sans-serif" font-size="12">"#,
    );
    writeln!(
        out,
        r#"<rect width="640" height="380" fill="white"/><text x="60" y="24" font-size="15">{title}</text>"#
    )?;
    writeln!(out, r##"<path d="M60 50V330H580" fill="none" stroke="#444"/>"##)?;
    writeln!(out, r#"<text x="8" y="334">{y0:.1}</text><text x="8" y="54">{y1:.1}</text>"#)?;
    for ((name, points), colour) in curves.iter().zip(["#1b6ca8", "#c05020", "#3a8a3a"]) {
        let line: Vec<String> = points.iter().map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(
            out,
            r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
            line.join(" ")
        )?;
        for point in *points {
            let (x, y) = place(point);
            writeln!(
                out,
                r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"><title>{name}: {} {:.2}</title></circle>"#,
                point.0, point.1
            )?;
        }
        if let Some((x, y)) = points.last().map(place) {
            writeln!(
                out,
                r#"<text x="{:.1}" y="{:.1}" fill="{colour}" text-anchor="end">{name}</text>"#,
                x,
                y - 8.0
            )?;
        }
    }
    for &(x, _) in curves.first().map_or(&[][..], |(_, points)| points) {
        writeln!(out, r#"<text x="{:.1}" y="348" text-anchor="middle">{x}</text>"#, place(&(x, y0)).0)?;
    }
    out.push_str("</svg>\n");
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(name), out)?;
    Ok(())
}
