import type { Route } from '@watchline/kit/route'
import type { NotificationContext } from '../service.ts'

/** The table of contents of this service's HTTP door. */
export const routes: readonly Route<NotificationContext>[] = []
