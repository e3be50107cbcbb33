import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { AuthContext } from '../context.ts'
import { onErasureCompleted } from './on-erasure-completed.ts'
import { onMailSettingsChanged } from './on-mail-settings-changed.ts'
import { onUserExported } from './on-user-exported.ts'

/** All events that this service consumes. */
export const consumers: readonly Consumer<AuthContext>[] = [onErasureCompleted, onMailSettingsChanged, onUserExported]
