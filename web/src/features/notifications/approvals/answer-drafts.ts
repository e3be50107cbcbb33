import { createSlice, type PayloadAction } from '@reduxjs/toolkit'

/**
 * Unsent comments by notification id. They survive closing the menu. A missing entry means no
 * comment.
 */
export type AnswerDrafts = Readonly<Record<string, string>>

const slice = createSlice({
  name: 'answerDrafts',
  initialState: {} as AnswerDrafts,
  reducers: {
    draftWritten: (drafts, { payload: { id, text } }: PayloadAction<{ id: string; text: string }>) => ({
      ...drafts,
      [id]: text,
    }),
    draftRemoved: (drafts, { payload: id }: PayloadAction<string>) => {
      const { [id]: _, ...remaining } = drafts
      return remaining
    },
  },
})

export const { draftWritten, draftRemoved } = slice.actions
export const answerDrafts = slice.reducer

export function answerDraftOf(state: { answerDrafts: AnswerDrafts }, id: string): string | undefined {
  return state.answerDrafts[id]
}
