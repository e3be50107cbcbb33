import * as auth from './auth.ts'
import * as chat from './chat.ts'
import * as engagement from './engagement.ts'
import * as notification from './notification.ts'
import type { AnyOperation } from './operation.ts'
import * as playback from './playback.ts'

/** Every operation of the API, found in the contract files: whatever is declared there is in the catalogue. */
export const operations: readonly AnyOperation[] = [auth, playback, engagement, notification, chat].flatMap(contract =>
  Object.values(contract).filter(isOperation),
)

function isOperation(value: unknown): value is AnyOperation {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value
}
