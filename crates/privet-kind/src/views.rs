//! What a release shows to the verbs: views, found by their type.
//!
//! A shape of data defines its own view as a plain type; an attack or a measure asks for the view that it understands. So a new
//! shape adds a type and changes nothing here.

use std::any::Any;

/// The views of a release or of an original.
#[derive(Clone, Copy, Default)]
pub struct Views<'a> {
    views: [Option<&'a dyn Any>; Views::MOST],
}

impl<'a> Views<'a> {
    /// How many views one release may offer.
    pub const MOST: usize = 6;

    /// No view at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// One view.
    pub fn of<T: Any>(view: &'a T) -> Self {
        Self::none().and(view)
    }

    /// One view more.
    ///
    /// # Panics
    /// When there are [`Views::MOST`] already, which is a mistake of the kind.
    #[must_use]
    pub fn and<T: Any>(mut self, view: &'a T) -> Self {
        let free = self.views.iter_mut().find(|place| place.is_none());
        *free.unwrap_or_else(|| panic!("a release offers at most {} views", Self::MOST)) = Some(view);
        self
    }

    /// The view of this type, if it is offered.
    pub fn get<T: Any>(&self) -> Option<&'a T> {
        self.views.iter().flatten().find_map(|view| view.downcast_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_found_by_its_type() {
        let (number, text) = (7_u32, String::from("seven"));
        let views = Views::of(&number).and(&text);
        assert_eq!(views.get::<u32>(), Some(&7));
        assert_eq!(views.get::<String>().map(String::as_str), Some("seven"));
        assert_eq!(views.get::<u64>(), None);
    }
}
