import { describe, expect, it } from 'vitest'
import { poolName } from './pool-name.ts'
import { sha256 } from '#/runtime/sha256.ts'

const labelled = (labels: object) => ({ metadata: { labels } })

describe('the pool of a runner pod', () => {
  it.each([
    ['its scale set', labelled({ app: 'x', 'actions.github.com/scale-set-name': 'linux' }), 'linux'],
    ['any other label that names one', labelled({ app: 'x' }), 'x'],
    ['none where it carries no label', labelled({}), null],
    ['none where a label is empty', labelled({ app: '' }), null],
    ['none of what is no object', null, null],
  ])('is %s', (_, object, pool) => {
    expect(poolName(object, sha256)).toBe(pool)
  })

  it('is redacted', () => {
    const token = ['ghp', '016C7e42F292c6912E7710c838347Ae178B4'].join('_')
    expect(poolName(labelled({ app: token }), sha256)).not.toContain(token)
  })
})
