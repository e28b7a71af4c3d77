/** Of what server and agent say to each other. An agent of another version is refused. */
export const PROTOCOL = 1
/** Of the service account token that an agent shows. */
export const AUDIENCE = 'signalbox-agent'
