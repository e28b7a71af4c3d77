import { openMemoryStore } from '#/adapters/memory/store.ts'
import { recoveryScenarios } from './scenarios.ts'

recoveryScenarios('the memory store', async () => openMemoryStore())
