import * as assignments from './assignments.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as chat from './chat.ts'
import * as engagement from './engagement.ts'
import * as notification from './notification.ts'
import type { AnyOperation } from './operation.ts'
import * as organisation from './organisation.ts'
import * as peopleImports from './people-imports.ts'
import * as playback from './playback.ts'
import * as playlistImports from './playlist-imports.ts'
import * as playlists from './playlists.ts'
import * as presence from './presence.ts'
import * as supervisorRequests from './supervisor-requests.ts'

/** The contract files of each service. */
const files: readonly (readonly object[])[] = [
  [auth, organisation, supervisorRequests, audit, peopleImports],
  [playlists, playlistImports, assignments, playback, presence],
  [engagement],
  [notification],
  [chat],
]

/** Every operation of the API, found in the contract files: whatever is declared there is in the catalogue, by service and by name. */
export const operations: readonly AnyOperation[] = files.flatMap(ofService =>
  ofService
    .flatMap(contract => Object.values(contract).filter(isOperation))
    .sort((one, other) => (one.name < other.name ? -1 : 1)),
)

function isOperation(value: unknown): value is AnyOperation {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value
}
