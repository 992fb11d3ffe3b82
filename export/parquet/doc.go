// Package parquet writes sessions as tables for query engines: runs, messages, calls and labels,
// each in folders by day and agent in Hive's layout. Columns have the names of Inspect Scout's
// transcript table and of Inspect's data frames, if those have one.
package parquet
