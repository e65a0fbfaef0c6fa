/** The mark of the product; `icon.svg` has the same drawing. */
export const Mark = () => (
  <svg className="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="7" fill="#0c6b78" />
    <path d="M8 7v18M24 7v18M8 12h16" stroke="#fff" strokeWidth="3" strokeLinecap="round" />
    <path
      d="M12 18c2-1.6 4-1.6 6 0M14 23c2-1.6 4-1.6 6 0"
      stroke="#8fe3ee"
      strokeWidth="2.2"
      fill="none"
      strokeLinecap="round"
    />
  </svg>
);
