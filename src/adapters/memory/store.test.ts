import { describeStoreContract } from '#test/contracts/store.ts'
import { openMemoryStore } from './store.ts'

describeStoreContract('memory', async () => ({ ...openMemoryStore(), close: async () => undefined }))
