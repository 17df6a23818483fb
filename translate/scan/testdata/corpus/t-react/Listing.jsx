import React from 'react';
export default function Listing({ id }) {
  const [item, setItem] = React.useState(null);
  React.useEffect(() => {
    fetch(`https://rest.delcampe.net/item/${id}?token=${window.TOKEN}`)
      .then(r => r.text()).then(setItem);
  }, [id]);
  return <a href={`/item/${id}`} onClick={() => history.push('/item/' + id)}>open</a>;
}
