//! Neighbourhoods by adding, by deleting, and with labels.

use super::*;
use crate::{generate, neighbourhood_classes};
use privet_data::Silent;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// What comes out is anonymous, has every edge, and its labels cover those that were there.
    #[test]
    fn neighbourhoods_occur_k_times(
        edges in prop::collection::vec((0u32..10, 0u32..10), 0..20), k in 1u32..5, labelled: bool,
        labels in prop::collection::vec(0u32..3, 10),
    ) {
        let graph = Graph::undirected(10, &edges).unwrap().0;
        let tree = LabelTree::flat(3);
        let given = labelled.then_some((&labels[..], &tree));
        let ended = k_neighbourhood(&graph, k, Direction::AddingAndDeleting, given, 1, &Silent).unwrap();
        let classes = neighbourhood_classes(&ended.edited.graph, ended.labels.as_deref()).unwrap().classes;
        prop_assert!(classes.smallest() >= k);
        if let Some(own) = &ended.labels {
            prop_assert!(own.iter().zip(&labels).all(|(&up, &low)| tree.covers(up, low)));
        }
        match k_neighbourhood(&graph, k, Direction::Adding, given, 1, &Silent) {
            Ok(found) => {
                let published = &found.edited.graph;
                let classes = neighbourhood_classes(published, found.labels.as_deref()).unwrap().classes;
                prop_assert!(classes.smallest() >= k);
                prop_assert!(graph.edges().all(|(a, b)| published.has_edge(a, b)));
                if let Some(own) = &found.labels {
                    prop_assert!(own.iter().zip(&labels).all(|(&up, &low)| tree.covers(up, low)));
                }
            }
            Err(GraphError::NotFound { .. }) => {}
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

/// The network of the survey with k = 2, and a network of a few hundred people.
#[test]
fn networks_become_anonymous() {
    let edges = [(0, 2), (1, 2), (2, 3), (2, 4), (3, 4), (4, 5)];
    let survey = Graph::undirected(6, &edges).unwrap().0;
    let found = k_neighbourhood(&survey, 2, Direction::Adding, None, 1, &Silent).unwrap();
    assert!(neighbourhood_classes(&found.edited.graph, None).unwrap().classes.smallest() >= 2);
    let graph = generate::uniform(200, 90, 3).unwrap();
    let found = k_neighbourhood(&graph, 2, Direction::Adding, None, 1, &Silent).unwrap();
    assert!(neighbourhood_classes(&found.edited.graph, None).unwrap().classes.smallest() >= 2);
    assert_eq!(found.edited.changes.deleted, 0);
    assert!(k_neighbourhood(&graph, 201, Direction::Adding, None, 1, &Silent).is_err());
}

/// Where hubs overlap adding does not end, and deleting does.
#[test]
fn networks_with_hubs_become_anonymous_by_deleting() {
    let graph = generate::growing(1500, 4.0, 0.3, 5).unwrap();
    let found = k_neighbourhood(&graph, 5, Direction::AddingAndDeleting, None, 1, &Silent).unwrap();
    assert!(neighbourhood_classes(&found.edited.graph, None).unwrap().classes.smallest() >= 5);
    let changes = found.edited.changes;
    assert!(changes.added == 0 && changes.kept * 3 > graph.edge_count(), "{changes:?}");
}

/// Two pairs of people: one label has to give way.
#[test]
fn labels_give_way() {
    let tree = LabelTree::new(vec![Some(3), Some(3), Some(4), Some(4), None]).unwrap();
    let graph = Graph::undirected(4, &[(0, 1), (2, 3)]).unwrap().0;
    let found =
        k_neighbourhood(&graph, 2, Direction::Adding, Some((&[0, 0, 0, 1], &tree)), 1, &Silent).unwrap();
    assert_eq!(found.edited.changes.added, 0);
    let labels = found.labels.unwrap();
    assert!(neighbourhood_classes(&found.edited.graph, Some(&labels)).unwrap().classes.smallest() >= 2);
}
