/** The protocol version. An agent with a version that is not accepted is refused. */
export const PROTOCOL = 3
/** Version 2 cannot be asked for processes. */
export const ACCEPTED = [2, PROTOCOL] as const
export const FIRST_WITH_PROCESSES = 3
/** The audience of the agent's service account token. */
export const AUDIENCE = 'signalbox-agent'
