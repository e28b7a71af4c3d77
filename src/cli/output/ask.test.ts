import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { askOnTerminal } from './ask.ts'

function terminal(isTTY: boolean) {
  return Object.assign(new PassThrough(), { isTTY })
}

function open(input: PassThrough, output: PassThrough) {
  return askOnTerminal(input as unknown as NodeJS.ReadStream, output as unknown as NodeJS.WriteStream)
}

describe('a question on a terminal', () => {
  it.each([
    [false, true],
    [true, false],
  ])('is not asked if stdin is a terminal: %s, and stderr: %s', (input, output) => {
    expect(open(terminal(input), terminal(output))).toBeNull()
  })

  it.each([
    ['y\n', 'y'],
    ['\n', ''],
  ])('has the answer %j', async (typed, answer) => {
    const [input, output] = [terminal(true), terminal(true)]
    const asked = open(input, output)?.('Remove? ', new AbortController().signal)
    input.write(typed)
    expect(await asked).toBe(answer)
    expect(String(output.read())).toBe('Remove? ')
  })

  it('has no answer if the input ends', async () => {
    const input = terminal(true)
    const asked = open(input, terminal(true))?.('Remove? ', new AbortController().signal)
    input.end()
    expect(await asked).toBeNull()
  })

  it('ends with the signal', async () => {
    const stop = new AbortController()
    const asked = open(terminal(true), terminal(true))?.('Remove? ', stop.signal)
    stop.abort()
    await expect(asked).rejects.toThrow(/abort/i)
  })
})
