/**
 * For vitest, in each of its processes. One whose parent was interrupted would go on with its tests, with clusters and
 * servers that nobody stops.
 */
process.once('disconnect', () => process.exit(1))
