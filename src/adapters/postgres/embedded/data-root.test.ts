import { describe, expect, it } from 'vitest'
import { expectRefusal } from '#test/postgres/expect-refusal.ts'
import { decideDataRoot } from './data-root.ts'

const observed = {
  folder: '/asked',
  recorded: '/asked',
  recordedExists: true,
  recordedReachable: true,
  hasData: false,
  accountName: 'user postgres',
}

describe('the folder of the data', () => {
  it('is the one that was asked for, when the account can enter it', () => {
    expect(decideDataRoot(observed)).toEqual({ kind: 'root', root: '/asked' })
  })

  it('is elsewhere, when the account cannot', () => {
    expect(decideDataRoot({ ...observed, recordedReachable: false })).toEqual({ kind: 'elsewhere' })
  })

  it('stays where an earlier start put it', () => {
    expect(decideDataRoot({ ...observed, recorded: '/elsewhere', hasData: true })).toEqual({
      kind: 'root',
      root: '/elsewhere',
    })
  })

  it('is not silently replaced by an empty one when its data is gone or out of reach', () => {
    const gone = { ...observed, recorded: '/elsewhere', recordedExists: false, recordedReachable: false }
    expect(expectRefusal(decideDataRoot(gone)).why).toContain('/elsewhere')
    const shut = { ...observed, recordedReachable: false, hasData: true }
    expect(expectRefusal(decideDataRoot(shut)).next).toContain('chmod')
  })
})
