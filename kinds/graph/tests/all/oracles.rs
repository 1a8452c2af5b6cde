//! Definitions spelled out on graphs of up to eight nodes, beside the algorithms: all permutations for automorphisms and
//! isomorphisms, and the facts of the survey's network (FX-7.F1).

use privet_data::Silent;
use privet_graph::attack::{Pattern, SearchLimits, Slack};
use privet_graph::{
    Classes, Graph, Knowledge, automorphism_classes, candidate_sets, generate, neighbourhood_classes,
    stable_classes,
};

/// Calls for every way to map the nodes of one graph to those of another so that edges are kept both ways.
fn each_isomorphism(one: &Graph, other: &Graph, take: &mut dyn FnMut(&[u32])) {
    fn extend(one: &Graph, other: &Graph, image: &mut Vec<u32>, take: &mut dyn FnMut(&[u32])) {
        let next = image.len() as u32;
        if next as usize == one.nodes() {
            return take(image);
        }
        for to in 0..other.nodes() as u32 {
            let fits = image
                .iter()
                .zip(0u32..)
                .all(|(&own, from)| own != to && one.has_edge(from, next) == other.has_edge(own, to));
            if fits {
                image.push(to);
                extend(one, other, image, take);
                image.pop();
            }
        }
    }
    if one.nodes() == other.nodes() {
        extend(one, other, &mut Vec::new(), take);
    }
}

/// The orbits of all automorphisms, each node by its first member.
fn orbits(graph: &Graph) -> Classes {
    let mut first: Vec<u32> = (0..graph.nodes() as u32).collect();
    each_isomorphism(graph, graph, &mut |image| {
        for (from, &to) in image.iter().enumerate() {
            let least = first[from].min(to);
            first[from] = least;
        }
    });
    Classes::by_key(first)
}

fn are_isomorphic(one: &Graph, other: &Graph) -> bool {
    let mut found = false;
    each_isomorphism(one, other, &mut |_| found = true);
    found
}

fn check(graph: &Graph) {
    let expected = orbits(graph);
    let found = automorphism_classes(graph, None, 1_000_000).unwrap();
    assert_eq!(found, expected, "{:?}", graph.edges().collect::<Vec<_>>());
    assert!(found.refines(&stable_classes(graph, None).unwrap()));
    // Whatever is known of the structure, it never tells automorphic nodes apart.
    for classes in candidate_sets(graph, 3, None).unwrap() {
        assert!(found.refines(&classes));
    }
    let around = neighbourhood_classes(graph, None).unwrap();
    assert_eq!(around.undecided, 0);
    assert!(found.refines(&around.classes));
    for a in 0..graph.nodes() as u32 {
        for b in 0..a {
            let inner = |node| graph.induced(graph.neighbours(node));
            let is_same = around.classes.of()[a as usize] == around.classes.of()[b as usize];
            assert_eq!(is_same, are_isomorphic(&inner(a), &inner(b)));
        }
    }
}

/// Every graph of up to five nodes.
#[test]
fn orbits_and_neighbourhoods_of_all_small_graphs() {
    for nodes in 1..=5usize {
        let pairs: Vec<(u32, u32)> = (0..nodes as u32).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        for bits in 0..1u32 << pairs.len() {
            let edges: Vec<(u32, u32)> =
                pairs.iter().enumerate().filter(|own| bits >> own.0 & 1 == 1).map(|own| *own.1).collect();
            check(&Graph::undirected(nodes, &edges).unwrap().0);
        }
    }
}

/// Random graphs of six to eight nodes, sparse and dense, and some with many symmetries.
#[test]
fn orbits_and_neighbourhoods_of_larger_graphs() {
    for seed in 0..60 {
        let nodes = 6 + seed as usize % 3;
        let most = (nodes * (nodes - 1) / 2) as u64;
        check(&generate::uniform(nodes, 3 + seed * 5 % (most - 3), seed).unwrap());
    }
    let ring = |nodes: u32| -> Vec<(u32, u32)> { (0..nodes).map(|own| (own, (own + 1) % nodes)).collect() };
    let cube: Vec<(u32, u32)> =
        (0..8u32).flat_map(|own| [1, 2, 4].map(|bit| (own, own ^ bit))).filter(|(a, b)| a < b).collect();
    for edges in [ring(8), ring(7), cube, vec![(0, 1), (1, 2), (3, 4), (4, 5), (6, 7)]] {
        check(&Graph::undirected(8, &edges).unwrap().0);
    }
}

/// survey FX-7.F1, AP-01, AP-03: 0 Bee-Chung, 1 Kristen, 2 Raghu, 3 Johannes, 4 Ashwin, 5 Dan.
#[test]
fn facts_of_the_survey() {
    let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
    let graph = Graph::undirected(6, &edges).unwrap().0;
    assert_eq!(graph.degrees(), [1, 1, 4, 2, 3, 1]);
    let classes = |knowledge: Knowledge| knowledge.classes(&graph, None).unwrap().0;
    let degrees = classes(Knowledge::Refinement { depth: 1 });
    // Raghu alone has four neighbours, Ashwin alone three; one neighbour does not identify Dan.
    assert_eq!((degrees.size_of(2), degrees.size_of(4), degrees.size_of(5)), (1, 1, 3));
    // The degree of his neighbour does.
    assert_eq!(classes(Knowledge::Refinement { depth: 2 }).size_of(5), 1);
    // Bee-Chung and the other node stay together whatever is known.
    let all = classes(Knowledge::Automorphism);
    assert_eq!(all, orbits(&graph));
    assert_eq!((all.of()[0], all.size_of(0), all.count()), (all.of()[1], 2, 5));

    // Before the release Dan adds four accounts: a path with one more edge, tied to himself and to Ashwin.
    let accounts = [6, 7, 8, 9];
    let mut planted = edges.to_vec();
    planted.extend([(6, 7), (7, 8), (8, 9), (6, 8), (6, 5), (8, 5), (8, 4), (9, 4)]);
    let with_accounts = Graph::undirected(10, &planted).unwrap().0;
    let pseudonyms = [4, 9, 0, 7, 2, 8, 1, 3, 6, 5];
    let published = with_accounts.renumbered(&pseudonyms).unwrap();
    let pattern = Pattern::of(&with_accounts, &accounts).unwrap();
    let found = pattern.search(&published, Slack::default(), SearchLimits::default(), &Silent).unwrap();
    assert!(found.is_complete);
    let real: Vec<u32> = accounts.iter().map(|&own| pseudonyms[own as usize]).collect();
    assert_eq!(found.images, std::slice::from_ref(&real));
    // Who knows the first and the third account is Dan; who knows the last two is Ashwin.
    let knows = |node: u32, places: &[usize]| places.iter().all(|&own| published.has_edge(node, real[own]));
    let candidates = |places: &[usize]| -> Vec<u32> {
        (0..10).filter(|own| !real.contains(own) && knows(*own, places)).collect()
    };
    assert_eq!(candidates(&[0, 2]), [pseudonyms[5]]);
    assert_eq!(candidates(&[2, 3]), [pseudonyms[4]]);
}
