import { createHmac } from 'node:crypto'
import type { SimJob } from './world-state.ts'

const LINK_LIFE_MS = 60_000
const PATH = /^\/_logs\/(\d+)\.txt$/

/** Logs lie with a storage provider behind a link that is signed and good for a minute; it speaks XML, not JSON. */
export type LogLinks = {
  readonly issue: (origin: string, job: number, nowMs: number) => string
  /** `null` when the address is not one of the storage. */
  readonly serve: (url: URL, job: (id: number) => SimJob | undefined, nowMs: number) => Response | null
}

export function createLogLinks(secret: string): LogLinks {
  const sign = (job: string, expires: string): string =>
    createHmac('sha256', secret).update(`${job} ${expires}`).digest('hex')

  return {
    issue: (origin, job, nowMs) => {
      const expires = String(nowMs + LINK_LIFE_MS)
      return `${origin}/_logs/${job}.txt?se=${expires}&sig=${sign(String(job), expires)}`
    },
    serve: (url, job, nowMs) => {
      const id = PATH.exec(url.pathname)?.[1]
      if (id === undefined) return null
      const expires = url.searchParams.get('se') ?? ''
      if (url.searchParams.get('sig') !== sign(id, expires) || Number(expires) <= nowMs) {
        return storageError(403, 'AuthenticationFailed', 'Server failed to authenticate the request.')
      }
      const log = job(Number(id))?.log
      if (log?.kind !== 'text') return storageError(404, 'BlobNotFound', 'The specified blob does not exist.')
      return new Response(log.text, { headers: { 'content-type': 'text/plain; charset=utf-8' } })
    },
  }
}

function storageError(status: number, code: string, message: string): Response {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return new Response(body, { status, headers: { 'content-type': 'application/xml' } })
}
