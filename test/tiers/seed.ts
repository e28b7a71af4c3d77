import fc from 'fast-check'

/**
 * For vitest, before each file. fast-check prints the seed and the path of a failure; `SIGNALBOX_TEST_SEED=<seed>` draws
 * the same again, in every random test that has no fixed seed.
 */
const given = process.env['SIGNALBOX_TEST_SEED']
if (given !== undefined && given !== '') {
  if (!/^-?\d+$/.test(given)) throw new Error(`SIGNALBOX_TEST_SEED must be a whole number, not ${given}`)
  fc.configureGlobal({ seed: Number(given) })
}
