import type { Group, MemberProblem } from '@watchline/contracts/groups'
import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { useSending } from '../../ui/hooks/use-sending.ts'
import type { AddressLine } from './address-file.ts'
import { useImportGroupMembersMutation, usePreviewGroupImportMutation } from './groups-api.ts'

export interface LineProblem extends AddressLine {
  problem: MemberProblem
}

export interface ImportPreview {
  /** Lines with different addresses; the server looks these up. */
  addresses: AddressLine[]
  matched: number
  members: number
  problems: LineProblem[]
}

interface CheckedAddresses {
  members: number
  problems: { index: number; email: string; problem: MemberProblem }[]
}

/** Checks and adds the addresses of a file, as many in a call as the server takes. */
export function useMemberImport(group: Group) {
  const [preview] = usePreviewGroupImportMutation()
  const [add] = useImportGroupMembersMutation()
  const { isSending, refusal, send } = useSending()
  const [done, setDone] = useState(0)
  const params = { id: group.id }

  async function sendInParts<T extends CheckedAddresses>(
    addresses: readonly AddressLine[],
    call: (emails: string[]) => PromiseLike<{ data?: T; error?: unknown }>,
    defaultMessage: string,
  ): Promise<{ answers: T[]; problems: LineProblem[] } | undefined> {
    const answers: T[] = []
    const problems: LineProblem[] = []
    for (let start = 0; start < addresses.length; start += limits.groupMembersPerCall) {
      setDone(start)
      const part = addresses.slice(start, start + limits.groupMembersPerCall)
      const answer = await send(() => call(part.map(({ email }) => email)), defaultMessage)
      if (!answer) return undefined
      answers.push(answer)
      problems.push(...answer.problems.map(({ index, problem }) => ({ ...part[index]!, problem })))
    }
    return { answers, problems }
  }

  return {
    isSending,
    refusal,
    done,
    check: async (lines: readonly AddressLine[]): Promise<ImportPreview | undefined> => {
      const { addresses, repeated } = withoutRepetitions(lines)
      const checked = await sendInParts(
        addresses,
        emails => preview({ params, body: { emails } }),
        'The addresses could not be checked. Please try again.',
      )
      if (!checked) return undefined
      return {
        addresses,
        matched: sum(checked.answers.map(({ matched }) => matched)),
        members: sum(checked.answers.map(({ members }) => members)),
        problems: [...checked.problems, ...repeated].sort((first, second) => first.line - second.line),
      }
    },
    /** The number of people who were added. Repeating it after a failure adds nobody twice. */
    apply: async ({ addresses }: ImportPreview): Promise<number | undefined> => {
      const applied = await sendInParts(
        addresses,
        emails => add({ params, body: { emails } }),
        'Not everybody could be added. Try again: nobody is added twice.',
      )
      return applied && sum(applied.answers.map(({ added }) => added))
    },
  }
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)

/** The server compares the lines of one call only. */
function withoutRepetitions(lines: readonly AddressLine[]) {
  const seen = new Set<string>()
  const addresses: AddressLine[] = []
  const repeated: LineProblem[] = []
  for (const line of lines) {
    const key = line.email.toLowerCase()
    if (key.includes('@') && seen.has(key)) repeated.push({ ...line, problem: 'repeated' })
    else addresses.push(line)
    seen.add(key)
  }
  return { addresses, repeated }
}
