import type { Leaf } from '#/cli/frame/command.ts'

export const completion: Leaf = {
  kind: 'leaf',
  name: 'completion',
  summary: 'Print the completion script for a shell',
  description:
    'Prints a script that completes the commands, flags and values of signalbox. It calls the program itself, so it stays correct when signalbox is updated.',
  examples: [
    { line: 'source <(signalbox completion bash)', what: 'For this bash; put it into ~/.bashrc to keep it' },
    { line: 'signalbox completion zsh > "${fpath[1]}/_signalbox"', what: 'For zsh' },
    { line: 'signalbox completion fish > ~/.config/fish/completions/signalbox.fish', what: 'For fish' },
  ],
  flags: {},
  positionals: [{ name: 'SHELL', summary: 'The shell', required: true, choices: ['bash', 'zsh', 'fish'] }],
  exitCodes: { 0: 'Always.' },
  load: () => import('./run.ts'),
}
