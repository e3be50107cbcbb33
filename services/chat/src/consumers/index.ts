import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import type { ChatContext } from '../context.ts'

/** The message entry points: this service only keeps its projection of people. */
export const consumers: readonly Consumer<ChatContext>[] = peopleConsumers
