/** Answers in the API server's format. */

export type Refusal = {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly details?: { readonly kind: string; readonly name: string }
}

export function toStatus(refusal: Refusal): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', ...refusal }
}

export function refuse(refusal: Refusal): Response {
  return Response.json(toStatus(refusal), { status: refusal.code })
}

export function absent(kind: string, name: string): Response {
  return refuse({ code: 404, reason: 'NotFound', message: `${kind} "${name}" not found`, details: { kind, name } })
}

export function badRequest(message: string): Response {
  return refuse({ code: 400, reason: 'BadRequest', message })
}

export function text(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'text/plain' } })
}

/** A stream of text that its writer ends, or that ends with the request. */
export function streaming(contentType: string, write: (send: (text: string) => void) => Promise<void>): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start: async (controller) => {
      await write((piece) => controller.enqueue(encoder.encode(piece)))
      controller.close()
    },
  })
  return new Response(body, { status: 200, headers: { 'content-type': contentType } })
}
