import { describe, expect, it } from 'vitest'
import type { TerminalOptions } from '#/cli/output/terminal.ts'
import { openTerminal } from '#/cli/output/terminal.ts'

function open(more: Partial<TerminalOptions> & { readonly tty?: boolean } = {}) {
  const written = { out: '', err: '' }
  const { tty = false, ...options } = more
  const terminal = openTerminal({
    stdout: { write: (text) => (written.out += text), isTTY: tty, columns: 80 },
    stderr: { write: (text) => (written.err += text), isTTY: tty, columns: 20 },
    colour: true,
    dumb: false,
    quiet: false,
    verbose: false,
    ...options,
  })
  return { terminal, written }
}

function say(more: Parameters<typeof open>[0]) {
  const { terminal, written } = open(more)
  terminal.data('data\n')
  terminal.notice('notice')
  terminal.detail('detail')
  terminal.error('error')
  terminal.hint('hint')
  return written
}

describe('the terminal', () => {
  it('writes data to stdout and all else to stderr', () => {
    expect(say({})).toEqual({ out: 'data\n', err: 'notice\nsignalbox: error\n  hint\n' })
  })

  it('writes bytes unchanged, and none to a terminal', () => {
    const { terminal, written } = open()
    terminal.bytes?.(new Uint8Array([0x1f, 0x8b, 0xff]))
    expect(Buffer.from(written.out, 'latin1')).toEqual(Buffer.from([0x1f, 0x8b, 0xff]))
    expect(open({ tty: true }).terminal.bytes).toBeNull()
  })

  it('leaves notices out when quiet, and adds details when verbose', () => {
    expect(say({ quiet: true }).err).toBe('signalbox: error\n  hint\n')
    expect(say({ verbose: true }).err).toBe('notice\ndetail\nsignalbox: error\n  hint\n')
  })

  it('colours only on a terminal that allows it', () => {
    expect(open({ tty: true }).terminal.style('bold', 'x')).toBe('\u001B[1mx\u001B[22m')
    expect(open({ tty: true, colour: false }).terminal.style('bold', 'x')).toBe('x')
    expect(open({ tty: false }).terminal.style('bold', 'x')).toBe('x')
    expect(say({ tty: true }).err).toContain('\u001B[31msignalbox:')
    expect(say({ tty: true, colour: false }).err).not.toContain('\u001B')
  })

  it('has a width only on a terminal', () => {
    expect(open({ tty: true }).terminal.columns).toBe(80)
    expect(open().terminal.columns).toBeNull()
  })

  it('shows progress in one line and removes it', () => {
    const { terminal, written } = open({ tty: true })
    const progress = terminal.progress('a label that is longer than the window')
    progress.say('b')
    progress.done()
    expect(written.err).toBe('\r\u001B[2K⠋ a label that is l\r\u001B[2K⠙ b\r\u001B[2K')
  })

  it('prints a notice on its own line while progress is shown', () => {
    const { terminal, written } = open({ tty: true })
    const progress = terminal.progress('a')
    terminal.notice('noticed')
    progress.done()
    terminal.notice('after')
    expect(written.err).toBe('\r\u001B[2K⠋ a\r\u001B[2Knoticed\n\r\u001B[2Kafter\n')
  })

  it.each<Parameters<typeof open>[0]>([{ tty: false }, { tty: true, dumb: true }, { tty: true, quiet: true }])(
    'shows no progress with %j',
    (more) => {
      const { terminal, written } = open(more)
      const progress = terminal.progress('a')
      progress.say('b')
      progress.done()
      expect(written.err).toBe('')
    },
  )
})
