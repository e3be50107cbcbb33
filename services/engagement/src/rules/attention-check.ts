import { limits } from '@watchline/contracts/limits'
import {
  addNote,
  type CreditingEffect,
  closeDraft,
  makeEmptyEffect,
  openDraft,
  type WatchDraft,
} from './watch-draft.ts'
import type { Attention, OpenCheck, WatchState } from './watch-state.ts'

/*
 * Attention checks ask a person at random moments of a task whether they are still watching. A
 * missing answer is a note like the others. It takes no credit away.
 */

/** Values that the caller draws, because rules are pure. */
export interface AttentionDraw {
  /** The id of a check that may be asked now. */
  checkId: string
  /** From 0 to below 1. */
  random: number
}

export interface WatchedPart {
  /** The video of the report. */
  key: string
  isPlaying: boolean
  /** Seconds that the report credited. */
  credited: number
}

/** An answer is on its way for some time. */
const latencyMs = 5_000

/**
 * Asks when enough has been credited, and notes an earlier check without an answer. A person has
 * one count and one open check for all tasks with checks, so that nobody avoids them by changing
 * tasks.
 */
export function askForAttention(
  state: WatchState,
  { key, isPlaying, credited }: WatchedPart,
  { checkId, random }: AttentionDraw,
  now: number,
): CreditingEffect {
  const draft = openDraft(state)
  const attention = noteIfLate(draft, confirmDelivery(state.attention, now), now) ?? makeAttention(random)
  const watched = attention.watched + credited
  const isWaiting = attention.open !== undefined && !attention.open.noted
  const isDue = isPlaying && !isWaiting && watched >= attention.askAfter
  draft.attention = isDue
    ? {
        ...makeAttention(random),
        open: { id: checkId, key, ...askAt(now), noted: false },
      }
    : { ...attention, watched }
  return closeDraft(draft)
}

export interface CheckAnswer {
  id: string
  action: 'answer' | 'extend'
  /** The time at which the person answered; a lost request arrives later. */
  answeredAt: number
  /** Decides about the next check. */
  random: number
}

/**
 * Ends the check, or gives more time for it. Undefined for another check than the present one. A
 * repeated answer changes nothing.
 */
export function answerCheck(
  state: WatchState,
  { id, action, answeredAt, random }: CheckAnswer,
): CreditingEffect | undefined {
  if (state.attention?.answeredId === id) return makeEmptyEffect(state)
  if (state.attention?.open?.id !== id) return undefined
  const draft = openDraft(state)
  const attention = noteIfLate(draft, state.attention, answeredAt)!
  draft.attention =
    action === 'answer' ? { ...makeAttention(random), answeredId: id } : { ...attention, open: extend(attention.open!) }
  return closeDraft(draft)
}

function makeAttention(random: number): Attention {
  const { attentionMinS, attentionMaxS } = limits
  return { watched: 0, askAfter: attentionMinS + random * (attentionMaxS - attentionMinS) }
}

/** A late request for more time changes nothing, because the player has paused already. */
function extend(open: OpenCheck): OpenCheck {
  return open.noted ? open : { ...open, answerUntil: open.askedAt + limits.attentionExtendedMs, delivered: true }
}

function askAt(now: number): Pick<OpenCheck, 'askedAt' | 'answerUntil'> {
  return { askedAt: now, answerUntil: now + limits.attentionAnswerMs }
}

function isLate(open: OpenCheck, now: number): boolean {
  return now > open.answerUntil + latencyMs
}

/**
 * A player sends a report after it has the answer to the one before, so the next report confirms
 * that the check was delivered. If that report comes too late, the answer was lost and nobody saw
 * the question. Its time then begins again.
 */
function confirmDelivery(attention: Attention | undefined, now: number): Attention | undefined {
  const open = attention?.open
  if (!attention || !open || open.delivered || open.noted) return attention
  return { ...attention, open: { ...open, ...(isLate(open, now) ? askAt(now) : { delivered: true }) } }
}

function noteIfLate(draft: WatchDraft, attention: Attention | undefined, now: number): Attention | undefined {
  const open = attention?.open
  if (!attention || !open || open.noted || !isLate(open, now)) return attention
  addNote(draft, open.key, 'unanswered', 0, now)
  return { ...attention, open: { ...open, noted: true } }
}
