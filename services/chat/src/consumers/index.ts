import { peopleConsumers } from '@watchline/identity/people'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { ChatContext } from '../context.ts'

/** The table of contents of this service's message door: it keeps its projection of people, and nothing else. */
export const consumers: readonly Consumer<ChatContext>[] = peopleConsumers
