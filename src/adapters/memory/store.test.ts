import { describeStoreContract } from '#test/contracts/store.ts'
import { memoryStore } from './store.ts'

describeStoreContract('memory', async () => ({ store: memoryStore(), close: async () => undefined }))
