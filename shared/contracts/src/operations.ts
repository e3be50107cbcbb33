import * as administrators from './administrators.ts'
import * as assignments from './assignments.ts'
import * as audit from './audit.ts'
import * as auth from './auth.ts'
import * as chat from './chat.ts'
import * as claimRules from './claim-rules.ts'
import * as engagement from './engagement.ts'
import * as groupAssignments from './group-assignments.ts'
import * as groups from './groups.ts'
import * as mail from './mail.ts'
import * as mailLanguages from './mail-languages.ts'
import * as mailSettings from './mail-settings.ts'
import * as notification from './notification.ts'
import type { AnyOperation } from './operation.ts'
import * as organisation from './organisation.ts'
import * as peopleImports from './people-imports.ts'
import * as playback from './playback.ts'
import * as playlistImports from './playlist-imports.ts'
import * as playlists from './playlists.ts'
import * as presence from './presence.ts'
import * as privacy from './privacy.ts'
import * as records from './records.ts'
import * as reports from './reports.ts'
import * as savedReports from './saved-reports.ts'
import * as secondFactors from './second-factors.ts'
import * as supervisorRequests from './supervisor-requests.ts'

/** The contract files of each service. */
const contractFiles: readonly (readonly object[])[] = [
  [
    auth,
    administrators,
    secondFactors,
    organisation,
    supervisorRequests,
    audit,
    peopleImports,
    claimRules,
    groups,
    privacy,
  ],
  [playlists, playlistImports, assignments, groupAssignments, playback, presence],
  [engagement, records, reports, savedReports],
  [notification, mail, mailLanguages, mailSettings],
  [chat],
]

/** Every operation that the contract files export, in the order of services and then of names. */
export const operations: readonly AnyOperation[] = contractFiles.flatMap(filesOfService =>
  filesOfService
    .flatMap(contract => Object.values(contract).filter(isOperation))
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
)

function isOperation(value: unknown): value is AnyOperation {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value && 'response' in value
}
