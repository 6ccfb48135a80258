export default function handler() {}
