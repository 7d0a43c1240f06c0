//! One folder, opened once; everything is opened beneath it.
