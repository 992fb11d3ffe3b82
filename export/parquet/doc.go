// Package parquet writes runs as tables for engines that answer questions over many of
// them: runs, messages, calls and labels, each in folders by day and agent as Hive lays
// them out. Columns have the names of Inspect Scout's transcript table and of Inspect's
// data frames where those have one.
package parquet
