import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { AuthContext } from '../context.ts'
import { onMailSettingsChanged } from './on-mail-settings-changed.ts'
import { onUserErasureCompleted } from './on-user-erasure-completed.ts'
import { onUserExported } from './on-user-exported.ts'

/** All events that this service consumes. */
export const consumers: readonly Consumer<AuthContext>[] = [
  onUserErasureCompleted,
  onMailSettingsChanged,
  onUserExported,
]
