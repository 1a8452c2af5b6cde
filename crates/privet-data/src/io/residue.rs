//! What stands below missing values: an Arrow array has a slot for each of them, and readers of a file leave some other value there. It
//! would be published, unseen, and would differ between engines.
//!
//! # Guarantee
//! The slots of missing numbers, dates and times are zero. Missing texts have no bytes of their own once `take` has copied them.

use std::sync::Arc;

use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, downcast_primitive_array};

/// The same values with nothing below those that are missing.
pub(super) fn removed(values: ArrayRef) -> ArrayRef {
    if values.null_count() == 0 {
        return values;
    }
    let all = values.as_ref();
    downcast_primitive_array!(
        all => Arc::new(zeroed(all)) as ArrayRef,
        _ => Arc::clone(&values),
    )
}

fn zeroed<T: ArrowPrimitiveType>(values: &PrimitiveArray<T>) -> PrimitiveArray<T> {
    let slots = values.values().iter().enumerate();
    let slots: Vec<T::Native> =
        slots.map(|(slot, own)| if values.is_null(slot) { T::Native::default() } else { *own }).collect();
    PrimitiveArray::new(slots.into(), values.nulls().cloned()).with_data_type(values.data_type().clone())
}

#[cfg(test)]
mod tests {
    use arrow_array::{Int64Array, TimestampSecondArray};
    use arrow_buffer::NullBuffer;

    use super::*;

    #[test]
    fn nothing_stands_below_missing_values() {
        let nulls = NullBuffer::from(vec![true, false, true]);
        let values: ArrayRef = Arc::new(Int64Array::new(vec![7, 26, 8].into(), Some(nulls.clone())));
        let clean = removed(Arc::clone(&values));
        let slots = clean.as_any().downcast_ref::<Int64Array>().unwrap();
        assert_eq!((&slots.values()[..], slots.is_null(1), &clean), (&[7, 0, 8][..], true, &values));
        let times = TimestampSecondArray::new(vec![1, 2, 3].into(), Some(nulls)).with_timezone("+01:00");
        let clean = removed(Arc::new(times.clone()));
        assert_eq!(clean.data_type(), times.data_type());
        let whole: ArrayRef = Arc::new(Int64Array::from(vec![1, 2]));
        assert!(Arc::ptr_eq(&removed(Arc::clone(&whole)), &whole));
    }
}
