/** The protocol version. An agent with another version is refused. */
export const PROTOCOL = 2
/** The audience of the agent's service account token. */
export const AUDIENCE = 'signalbox-agent'
