from toponaut.places.addresses.us.hinting cimport is_hinted
from toponaut.places.addresses.us.promise cimport is_promising
