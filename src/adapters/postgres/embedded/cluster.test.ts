import { expect, it } from 'vitest'
import { judgeVersion } from './cluster.ts'

const binaries = { version: '18.4', major: 18 }
const folder = '/data/postgres'

it('takes data of its own major', () => {
  expect(judgeVersion({ folder, version: '18\n', binaries })).toBeNull()
})

it.each(['17\n', '19\n', '9.6\n', '1\n', '180\n'])(
  'refuses data of another major and says how to move it: %j',
  (version) => {
    const refused = judgeVersion({ folder, version, binaries })
    expect(refused?.why).toContain(`PostgreSQL ${version.trim()},`)
    expect(refused?.next).toContain('signalbox store backup')
  },
)

it('refuses a folder without data, instead of filling it anew', () => {
  expect(judgeVersion({ folder, version: null, binaries })?.why).toContain('holds no PostgreSQL data')
})
