import { z } from 'zod'
import { id, text, time } from './fields.ts'
import { limits } from './limits.ts'
import { defineOperation } from './operation.ts'
import { assignableRole, ownPassword, user } from './people.ts'

const service = 'auth'

/**
 * "If `claim` contains `value`, the person gets `role`". The first rule that matches decides at
 * every sign-in; where none matches, nothing changes.
 */
export const claimRule = z
  .object({
    claim: text(limits.claimNameMaxLength, 1),
    /** Compared exactly, upper and lower case included. */
    value: text(limits.claimValueMaxLength, 1),
    role: assignableRole,
    /**
     * For users, the supervisor whose team they join; for supervisors, their manager. null: a
     * person who keeps the role keeps their leader.
     */
    leader_id: id.nullable().default(null),
  })
  .refine(rule => rule.leader_id === null || rule.role === 'user' || rule.role === 'supervisor', {
    path: ['leader_id'],
    message: 'is only for the roles user and supervisor',
  })
export type ClaimRule = z.infer<typeof claimRule>

const claimRules = z.array(claimRule).max(limits.claimRulesMax)

/** full: the team has no free seat. not_a_leader: the leader of the rule has another role now. */
export const claimProblem = z.enum(['full', 'not_a_leader'])
export type ClaimProblem = z.infer<typeof claimProblem>

const somebody = z.object({ id, name: z.string() })

const savedClaimRules = z.object({
  /** The names that rules may use: the setting OIDC_CLAIMS. */
  claims: z.array(z.string()),
  rules: z.array(
    z.object({
      claim: z.string(),
      value: z.string(),
      role: assignableRole,
      /** null for a rule without a leader. */
      leader: somebody
        /** Whether the leader still has the role that leads. */
        .extend({ available: z.boolean() })
        .nullable(),
    }),
  ),
  /** Grows by one with every change; 0 before the first. */
  version: z.number().int().min(0),
  updated_at: time.nullable(),
  /** The name of the administrator at that time. */
  updated_by: z.string().nullable(),
  /** The latest sign-ins after which a rule could not be applied in full. */
  problems: z.array(
    z.object({
      user: user.pick({ id: true, name: true, email: true, email_verified: true }),
      problem: claimProblem,
      leader_name: z.string().nullable(),
      at: time,
    }),
  ),
  /** The number of all of them. */
  problem_count: z.number().int(),
})
export type SavedClaimRules = z.infer<typeof savedClaimRules>

export const getClaimRules = defineOperation({
  name: 'getClaimRules',
  service,
  method: 'GET',
  path: '/admin/claim-rules',
  callers: ['admin'],
  summary:
    'The rules that give people roles, teams and managers from the claims of the sign-in provider, and the people to whom they could not be applied in full.',
  response: savedClaimRules,
  errors: ['forbidden'],
})

export const saveClaimRules = defineOperation({
  name: 'saveClaimRules',
  service,
  method: 'PUT',
  path: '/admin/claim-rules',
  callers: ['admin'],
  summary:
    'Replaces all rules, after the caller’s password as in inviteAdministrator. They apply from the next sign-in of each person. `edited_elsewhere` if `version` is not the current one.',
  body: z.object({ rules: claimRules, version: z.number().int().min(0), password: ownPassword }),
  response: savedClaimRules,
  errors: ['forbidden', 'sign_in_again', 'invalid_credentials', 'edited_elsewhere', 'too_many', 'invalid'],
})

/** The change that a rule would make to a person at their next sign-in. */
const claimChange = z.object({
  user: user.pick({ id: true, name: true, email: true, email_verified: true }),
  /** The position of the rule in the request, from 0. */
  rule: z.number().int(),
  role_before: assignableRole,
  role_after: assignableRole,
  /** The names of supervisor or manager. */
  leader_before: z.string().nullable(),
  leader_after: z.string().nullable(),
  /** The person would get the role, but not the leader. */
  problem: claimProblem.nullable(),
})
export type ClaimChange = z.infer<typeof claimChange>

export const previewClaimRules = defineOperation({
  name: 'previewClaimRules',
  service,
  method: 'POST',
  path: '/admin/claim-rules/preview',
  callers: ['admin'],
  summary: 'The people whom these rules would change, by the claims of each person’s latest sign-in. Changes nothing.',
  body: z.object({ rules: claimRules }),
  response: z.object({
    /** The number of people whose claims are known. */
    checked: z.number().int(),
    /** The first limits.claimChangesShown of `change_count`. */
    changes: z.array(claimChange),
    change_count: z.number().int(),
  }),
  errors: ['forbidden', 'invalid'],
})
export type ClaimPreview = z.infer<(typeof previewClaimRules)['response']>
