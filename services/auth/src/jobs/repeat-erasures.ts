import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { repeatErasures } from '../actions/erase-person.ts'
import type { AuthContext } from '../context.ts'

/** At the start, erases again whom a restore brought back, before anybody can sign in. */
export function createErasureRepetition(ctx: AuthContext): Lifecycle {
  return {
    start: async () => {
      while ((await repeatErasures(ctx)) > 0);
    },
    stop: () => {},
  }
}
