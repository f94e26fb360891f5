#error "a header of the parent project hides one of Causeway"
