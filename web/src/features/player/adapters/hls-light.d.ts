// hls.js ships no declarations for its light build; it has the same shape as the full one.
declare module 'hls.js/light' {
  export { default } from 'hls.js'
}
