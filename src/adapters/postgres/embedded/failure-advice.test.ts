import { expect, it } from 'vitest'
import { adviceFor, errorLines } from './failure-advice.ts'

it.each([
  ['initdb: error: could not write to file "pg_wal/xlogtemp": No space left on device', 'Free space'],
  ['initdb: error: could not look up effective user ID 4242: user does not exist', '/etc/passwd'],
  ['initdb: error: could not create directory "/x": Read-only file system', 'can be written'],
  ['FATAL:  data directory "/x" has wrong ownership\nPermission denied', 'belongs to you'],
  ['error: password authentication failed for user "signalbox"', '"password"'],
  ['PANIC:  could not locate a valid checkpoint record at 0/1', 'backup'],
  ['FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use', 'end its processes'],
  ['FATAL:  could not map anonymous shared memory: Cannot allocate memory', 'more memory'],
  ['something that nobody has seen yet', 'DATABASE_URL'],
])('says what to do about: %s', (output, advice) => {
  expect(adviceFor(output)).toContain(advice)
})

it('keeps only the lines of initdb that say why', () => {
  const fatal = '2026-11-15 23:49:25.482 UTC [7] FATAL:  could not write to file "pg_wal/x": No space left on device'
  expect(errorLines(`creating subdirectories ... ok\n${fatal}\nchild process exited with exit code 1`)).toBe(fatal)
  expect(errorLines('initdb: error: a\ninitdb: hint: b')).toBe('initdb: error: a')
  expect(errorLines('nothing known\nended by SIGKILL')).toBe('nothing known\nended by SIGKILL')
})
