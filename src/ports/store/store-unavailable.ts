export class StoreUnavailable extends Error {
  readonly code = 'STORE_UNAVAILABLE'
}
