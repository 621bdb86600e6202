from toponaut.places.addresses.us.promise cimport is_promising
