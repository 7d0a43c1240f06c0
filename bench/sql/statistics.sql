-- Plans must not depend on when the server gets round to its statistics.

ANALYZE TABLE wp_posts, wp_postmeta, wp_options, wp_users, wp_usermeta, wp_terms, wp_term_taxonomy,
    wp_term_relationships, wp_wc_product_meta_lookup, wp_events, wp_events_small;
