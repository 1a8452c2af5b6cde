//! FX-F3 and FX-F4, the three-way rule against Claim 3, and spans against people one by one.

use std::collections::BTreeMap;

use privet_data::Silent;
use proptest::prelude::*;

use super::*;
use crate::{MineError, Release, Visibility};

fn axis(name: &str, visibility: Visibility, last: u32) -> Axis {
    let domain = AxisDomain::Numbers { low: 0.0, high: f64::from(last), steps: last };
    Axis { name: name.to_owned(), visibility, domain }
}

fn plane(metric: Metric, last: u32) -> Space {
    let axes = vec![axis("age", Visibility::Public, last), axis("result", Visibility::Private, 11)];
    Space { axes, metric }
}

/// A(2,6) B(2,4) C(3,5) D(8,5) E(11,6) F(10,8) G(9,10).
fn fx_f4() -> Points {
    // 420 steps to one, so that every centroid lies on the grid.
    let axis = |name: &str, visibility| Axis {
        name: name.to_owned(),
        visibility,
        domain: AxisDomain::Numbers { low: 0.0, high: 11.0, steps: 11 * 420 },
    };
    let axes = vec![axis("age", Visibility::Public), axis("result", Visibility::Private)];
    let columns = [[2, 2, 3, 8, 11, 10, 9], [6, 4, 5, 5, 6, 8, 10]];
    let columns = columns.map(|column| column.map(|own| own * 420).to_vec()).to_vec();
    Points::new(Space { axes, metric: Metric::Euclidean }, columns).unwrap()
}

fn groups(clustering: &Clustering) -> Vec<String> {
    let mut groups: BTreeMap<u32, String> = BTreeMap::new();
    for (row, &cluster) in clustering.cluster_of.iter().enumerate() {
        groups.entry(cluster).or_default().push(b"ABCDEFG"[row] as char);
    }
    let mut groups: Vec<String> = groups.into_values().collect();
    groups.sort();
    groups
}

fn clustered(options: ClusterOptions) -> Clustering {
    let own = cluster(&fx_f4(), &options, &Silent).unwrap();
    assert!(own.holds());
    own
}

#[test]
fn fx_f4_cuts_cd_then_de() {
    let asked = |membership, max_clusters| ClusterOptions {
        membership,
        max_clusters,
        rule: Rule::ThreeWay,
        ..ClusterOptions::k_anonymous(3)
    };
    for membership in [Membership::NearestPoint, Membership::NearestCentroid] {
        let two = clustered(asked(membership, 2));
        assert_eq!(groups(&two), ["ABC", "DEFG"]);
        assert_eq!((two.spans.len(), two.exhausted), (2, false));
        let three = clustered(asked(membership, 3));
        assert_eq!(groups(&three), ["ABC", "D", "EFG"]);
        // DEFG may be in either of two clusters; nobody is in one alone.
        let mut spans: Vec<(usize, u64)> =
            three.spans.iter().map(|span| (span.clusters.len(), span.records())).collect();
        spans.sort_unstable();
        assert_eq!(spans, [(1, 3), (2, 4)]);
    }
}

/// The clusters of nearest centroids as the entry found them: results are looked at in steps of 0.25, and spans are counted from nothing for every
/// edge that is tried. Edges are tried until a whole pass cuts none.
fn fx_f4_on_a_grid(k: u64, is_swapped: bool) -> Vec<String> {
    let points = fx_f4();
    let (sites, _) = points.distinct(&[0, 1]);
    let mut edges = spanning::spanning_tree(points.space(), &sites, &Silent).unwrap();
    if is_swapped {
        // AC and BC are equally long, and the last.
        edges.swap(4, 5);
    }
    let mut forest = cut::Forest::new(sites.len(), &edges);
    let mut cluster_of = vec![0usize; sites.len()];
    let mut clusters = 1;
    let mut open = edges;
    loop {
        let mut left = Vec::new();
        for &edge in &open {
            forest.set_alive(edge, false);
            let mut tried = cluster_of.clone();
            forest.smaller_side(edge).into_iter().for_each(|site| tried[site as usize] = clusters);
            let spans = grid_spans(&sites, &tried, clusters + 1);
            if spans.values().all(|&people| people >= k) {
                cluster_of = tried;
                clusters += 1;
            } else {
                forest.set_alive(edge, true);
                left.push(edge);
            }
        }
        if left.len() == open.len() || left.is_empty() {
            break;
        }
        open = left;
    }
    let mut groups = vec![String::new(); clusters];
    for (row, &name) in b"ABCDEFG".iter().enumerate() {
        let record = points.record(row);
        let site = sites.iter().position(|own| *own == record).unwrap();
        groups[cluster_of[site]].push(name as char);
    }
    groups.sort();
    groups
}

/// Per set of clusters that somebody may belong to the people, over ages as they are and results in steps of 0.25.
fn grid_spans(sites: &[Vec<u32>], cluster_of: &[usize], clusters: usize) -> BTreeMap<Vec<usize>, u64> {
    let centroid = |cluster: usize| {
        let own: Vec<&Vec<u32>> =
            sites.iter().zip(cluster_of).filter(|(_, own)| **own == cluster).map(|(site, _)| site).collect();
        [0, 1].map(|axis| own.iter().map(|site| i64::from(site[axis])).sum::<i64>() / own.len() as i64)
    };
    let mut order: Vec<usize> = Vec::new();
    cluster_of.iter().for_each(|own| {
        if !order.contains(own) {
            order.push(*own);
        }
    });
    let centroids: Vec<[i64; 2]> = order.into_iter().map(centroid).collect();
    let mut spans = BTreeMap::new();
    for site in sites {
        let nearest = |step: i64| {
            let length = |own: &[i64; 2]| (own[0] - i64::from(site[0])).pow(2) + (own[1] - 105 * step).pow(2);
            (0..clusters).min_by_key(|&cluster| length(&centroids[cluster])).unwrap()
        };
        let span: std::collections::BTreeSet<usize> = (0..=44).map(nearest).collect();
        *spans.entry(span.into_iter().collect()).or_insert(0) += 1;
    }
    spans
}

#[test]
fn fx_f4_goes_on_to_the_end() {
    let asked = |k, membership, rule| ClusterOptions { membership, rule, ..ClusterOptions::k_anonymous(k) };
    let point = clustered(asked(3, Membership::NearestPoint, Rule::ThreeWay));
    assert_eq!(groups(&point), ["AC", "B", "D", "EF", "G"]);
    let centroid = clustered(asked(3, Membership::NearestCentroid, Rule::ThreeWay));
    // The entry computed AC, B, D, EFG on a grid of 0.25; over all numbers the span of E, F and G also reaches G alone, and at the
    // number 5 the points A, B and C are equally near to whoever is 2 or 3, so two cuts more are legal.
    assert_eq!(groups(&centroid), ["A", "B", "C", "D", "EF", "G"]);
    // Which of A and B leaves C first, at equal distances, is not said; ties go to the cluster of the first point.
    let ways = [false, true].map(|is_swapped| fx_f4_on_a_grid(3, is_swapped));
    assert!(ways.contains(&["AC", "B", "D", "EFG"].map(str::to_owned).to_vec()), "{ways:?}");
    assert!(ways.contains(&["A", "BC", "D", "EFG"].map(str::to_owned).to_vec()), "{ways:?}");
    let printed = clustered(asked(4, Membership::NearestPoint, Rule::ThreeWay));
    assert_eq!((groups(&printed).len(), printed.refused), (1, 6));
    let claim = clustered(asked(4, Membership::NearestPoint, Rule::Claim3));
    assert_eq!(groups(&claim), ["ABC", "D", "EF", "G"]);
}

/// FX-F3: the spans of the printed figure with centroids that satisfy every statement; Lisa alone breaks k = 2.
#[test]
fn fx_f3_spans_of_centroids() {
    let steps = 60;
    let zip = Axis {
        name: "zip".into(),
        visibility: Visibility::Public,
        // Half a step of the zip axis is 10 steps of the grid.
        domain: AxisDomain::Numbers { low: 0.0, high: 5.0, steps: 100 },
    };
    let income = Axis {
        name: "income".into(),
        visibility: Visibility::Private,
        // 20k are as long as one step of the zip axis; the range is 0 to 120.
        domain: AxisDomain::Numbers { low: 0.0, high: 120.0, steps: 2 * steps },
    };
    let space = Space { axes: vec![zip, income], metric: Metric::Euclidean };
    let at = |zip: u32, income: u32| vec![zip * 20, income];
    let people = [at(0, 98), at(0, 62), at(2, 36), at(2, 115), at(3, 44), at(5, 100)];
    let centroids = vec![at(0, 80), at(2, 90), vec![70, 40], at(5, 90)];
    let release = ClusterRelease {
        version: 1,
        records: 6,
        k: 2,
        rule: Rule::Claim3,
        space,
        centroids,
        spans: Vec::new(),
    };
    let spans = Release::of(&release, people.iter().map(Vec::as_slice));
    let found: Vec<(Vec<u32>, u64)> = spans.spans.iter().map(|own| (own.span.clone(), own.records)).collect();
    assert_eq!(found, [(vec![0], 2), (vec![1, 2], 3), (vec![2, 3], 1)]);
    let verdict = spans.check(2).unwrap();
    assert_eq!((verdict.violations.len(), verdict.violations[0].span, verdict.silent), (1, 2, 2));
    let classes: Vec<u32> = people.iter().map(|person| release.predict(person)).collect();
    assert_eq!(classes, [0, 0, 2, 1, 2, 3]);
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let points = fx_f4();
    let asked = |k| cluster(&points, &ClusterOptions::k_anonymous(k), &Silent).map(|_| ());
    assert_eq!(asked(8), Err(MineError::KTooLarge { k: 8, records: 7 }));
    assert_eq!(asked(0), Err(MineError::KTooLarge { k: 0, records: 7 }));
    let by_point = cluster(&points, &ClusterOptions::k_anonymous(3), &Silent).unwrap();
    assert!(ClusterRelease::of(&by_point).is_err());
}

#[test]
fn published_clusterings_are_verified_and_tampering_is_found() {
    let options = ClusterOptions {
        membership: Membership::NearestCentroid,
        min_members: 3,
        ..ClusterOptions::k_anonymous(3)
    };
    let release = ClusterRelease::of(&clustered(options)).unwrap();
    let text = serde_json::to_string(&release).unwrap();
    let read: ClusterRelease = serde_json::from_str(&text).unwrap();
    assert_eq!(read, release);
    assert!(read.verify().unwrap().holds());
    let mut fewer = release.clone();
    fewer.spans.pop();
    assert!(matches!(fewer.verify(), Err(ClusterError::Records { .. })));
    let mut stronger = release.clone();
    stronger.k = 100;
    stronger.rule = Rule::ThreeWay;
    assert!(!stronger.verify().unwrap().holds());
    let mut outside = release;
    outside.centroids[0][0] = 12 * 420;
    assert_eq!(outside.verify(), Err(ClusterError::Centroid { cluster: 0 }));
}

fn small_points() -> impl Strategy<Value = Points> {
    (prop::collection::vec((0u32..12, 0u32..12), 2..14), any::<bool>()).prop_map(|(own, gower)| {
        let metric = if gower { Metric::Gower } else { Metric::Euclidean };
        let columns =
            vec![own.iter().map(|own| own.0).collect(), own.iter().map(|own| own.1.min(11)).collect()];
        Points::new(plane(metric, 11), columns).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]
    /// The bookkeeping of cuts equals spans computed from nothing, for both memberships and both rules; and what holds by the
    /// clustering's word holds by Claim 3 through the oracle, person by person.
    #[test]
    fn spans_are_those_of_the_definition(points in small_points(), k in 1u64..4, centroid: bool, three: bool) {
        let options = ClusterOptions {
            membership: if centroid { Membership::NearestCentroid } else { Membership::NearestPoint },
            rule: if three { Rule::ThreeWay } else { Rule::Claim3 },
            ..ClusterOptions::k_anonymous(k.min(points.len() as u64))
        };
        let own = cluster(&points, &options, &Silent).unwrap();
        prop_assert!(own.holds());
        let records: Vec<Vec<u32>> = (0..points.len()).map(|row| points.record(row)).collect();
        let release = Release::of(&own, records.iter().map(Vec::as_slice));
        prop_assert!(release.check(options.k).unwrap().holds());
        let counted: Vec<(Vec<u32>, u64)> =
            own.spans.iter().map(|span| (span.clusters.clone(), span.records())).collect();
        let defined: Vec<(Vec<u32>, u64)> =
            release.spans.iter().map(|span| (span.span.clone(), span.records)).collect();
        prop_assert_eq!(counted, defined);
    }

    /// Nearest training point: no further edge can be cut. Cutting one more, with spans from nothing, breaks the rule.
    #[test]
    fn finished_clusterings_have_no_legal_cut_left(points in small_points(), k in 1u64..5) {
        let options = ClusterOptions::k_anonymous(k.min(points.len() as u64));
        let own = cluster(&points, &options, &Silent).unwrap();
        let edges = spanning::spanning_tree(&own.space, &own.sites, &Silent).unwrap();
        let inside = |edge: &&spanning::Edge| own.cluster_of_site[edge.a as usize] == own.cluster_of_site[edge.b as usize];
        for &edge in edges.iter().filter(inside) {
            let mut forest = cut::Forest::new(own.sites.len(), &edges);
            for &other in &edges {
                if !inside(&&other) {
                    forest.set_alive(other, false);
                }
            }
            forest.set_alive(edge, false);
            let mut finer = own.clone();
            let new = own.centroids.len() as u32;
            for site in forest.smaller_side(edge) {
                finer.cluster_of_site[site as usize] = new;
            }
            finer.centroids.push(vec![0, 0]);
            let (people, person_of) = people(&points);
            let (_, site_of) = points.distinct(&[0, 1]);
            finer.judge(&people, &person_of, &site_of, &Silent).unwrap();
            prop_assert!(!finer.holds());
        }
    }
}
