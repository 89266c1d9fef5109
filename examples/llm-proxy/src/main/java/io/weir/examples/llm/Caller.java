package io.weir.examples.llm;

/**
 * Who an API key belongs to.
 *
 * @param id what the key is called; not the key itself, which is a secret and nothing for a database of balances
 * @param team whose budget it shares with other keys
 * @param company whose budget all its teams share
 */
record Caller(String id, String team, String company) {}
