import type { AuditAction } from '@watchline/contracts/audit'
import { z } from 'zod'
import { useRememberedChoice } from '../../../ui/lists/remembered-choice.ts'

const shownKinds = z.object({ signIns: z.boolean(), setup: z.boolean() })
type ShownKinds = z.infer<typeof shownKinds>

/**
 * The kinds of entries that are shown beside changes: sign-ins, and what demo and setup did. At
 * first both are hidden, because they bury the changes. A chosen action is always shown.
 */
export function useShownKinds(action: AuditAction | undefined) {
  const [kinds, setKinds] = useRememberedChoice<ShownKinds>('audit-kinds', shownKinds, { signIns: false, setup: false })
  return {
    kinds,
    change: (changed: Partial<ShownKinds>) => setKinds({ ...kinds, ...changed }),
    query: {
      sign_ins: kinds.signIns || action === 'admin_signed_in' ? undefined : ('false' as const),
      setup: kinds.setup || action === 'admin_created' ? undefined : ('false' as const),
    },
  }
}
