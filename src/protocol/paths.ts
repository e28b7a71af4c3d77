/** The routes for agents. */
export const AGENT_PATH = '/v1/agent'
export const WAYS = { poll: '/poll', answer: '/answers/:id' } as const

export const pollPath = `${AGENT_PATH}${WAYS.poll}`

export function answerPath(id: string, node: string): string {
  return `${AGENT_PATH}${WAYS.answer.replace(':id', id)}?node=${encodeURIComponent(node)}`
}
