import { z } from 'zod'
import { BLIND_CODES } from '#/core/basics/observed.ts'
import { LIMITS } from './limits.ts'

export const nameText = z.string().min(1).max(LIMITS.nameLength)
export const time = z.number().min(0).max(8.64e15)
const detail = z.string().max(2000)
export const reason = z.strictObject({ code: z.enum(BLIND_CODES), detail })
