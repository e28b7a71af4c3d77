/** The simulated GitHub as a function; `serveGitHub` puts it on a port. */
export type FetchHandler = (request: Request) => Promise<Response>
