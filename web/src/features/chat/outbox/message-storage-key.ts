/** The keys of unsent messages in localStorage start with this. */
export const unsentMessagePrefix = 'watchline.chat.unsent.'
